--TEST--
Bounds: what has no place is counted
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
getenv('COMPASS_TEST_VALGRIND') && die('skip slow under valgrind');
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$trace = run('
for ($i = 0; $i < 66000; $i += 1000) {
    $code = "";
    for ($j = $i; $j < $i + 1000; $j++) { $code .= "function f$j() {} f$j();"; }
    eval($code);
}
', ['ini' => ['memory_limit' => '1G']])->trace();
$calls = array_sum(array_column($trace->functions, 'calls'));
echo count($trace->functions), ' ', $calls, ' ', $trace->end['functions'], ' ', $calls + $trace->end['functions'] - 66000, "\n";
var_dump($trace->end['calls'] === $trace->end['functions']);
?>
--EXPECT--
65536 65601 466 67
bool(true)
