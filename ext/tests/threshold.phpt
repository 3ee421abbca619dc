--TEST--
compass.function_threshold: what it lets through and what it refuses
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$code = 'function fast() {} function slow() { usleep(3000); } fast(); slow();';
foreach (['0', '1000000', '', '5000000000', '18446744073709551616', '-1', '1ms', '0x10'] as $value) {
    $run = run($code, ['ini' => ['compass.function_threshold' => $value, 'display_startup_errors' => '1']]);
    $trace = $run->trace();
    // On a slow machine even fast() may take a millisecond.
    $names = array_diff(array_map('short', array_column($trace->calls, 'name')), $value === '0' ? [] : ['fast']);
    echo "--- '$value': ", implode(' ', $names), "\n", trim($run->output), "\n";
    echo $trace->functions['fast']['calls'], $trace->functions['slow']['calls'], "\n";
}
echo "--- from the shipped ini\n";
$path = sys_get_temp_dir() . '/compass-ini-' . getmypid();
file_put_contents($path, str_replace('compass.so', test_extension(), file_get_contents(__DIR__ . '/../compass.ini')));
foreach ([[], ['COMPASS_ENABLED' => 'true', 'COMPASS_FUNCTION_THRESHOLD' => '0'], ['COMPASS_ENABLED' => 'on'], ['COMPASS_ENABLED' => 'false', 'COMPASS_FUNCTION_THRESHOLD' => '0']] as $environment) {
    $run = run('echo ini_get("compass.enabled"), "|", ini_get("compass.function_threshold"); usleep(3000);',
        ['extension' => false, 'ini_file' => $path, 'environment' => $environment + ['PHP_INI_SCAN_DIR' => '']]);
    echo $run->output, $run->errors, ' ', count($run->traces), ' ', count($run->traces ? $run->traces[0]->calls : []) > 1 ? 'calls' : '-', "\n";
}
unlink($path);
?>
--EXPECT--
--- '0': fast usleep slow script.php

11
--- '1000000': usleep slow script.php

11
--- '': usleep slow script.php

11
--- '5000000000': 

11
--- '18446744073709551616': usleep slow script.php
Warning: compass.function_threshold: "18446744073709551616" is not a number of nanoseconds, using 1000000 in Unknown on line 0
11
--- '-1': usleep slow script.php
Warning: compass.function_threshold: "-1" is not a number of nanoseconds, using 1000000 in Unknown on line 0
11
--- '1ms': usleep slow script.php
Warning: compass.function_threshold: "1ms" is not a number of nanoseconds, using 1000000 in Unknown on line 0
11
--- '0x10': usleep slow script.php
Warning: compass.function_threshold: "0x10" is not a number of nanoseconds, using 1000000 in Unknown on line 0
11
--- from the shipped ini
| 0 -
true|0 1 calls
on| 1 calls
false|0 0 -
