--TEST--
Classic probes and batches at once tell the same calls
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$run = run('function slow() { usleep(2000); } function f($n) { return $n > 0 ? f($n - 1) : slow(); } f(3);', ['watch' => 'all', 'arguments' => ['one', 'two words']]);
$trace = $run->trace();
foreach ($run->hits as $hit) {
    echo $hit[0], ' ', $hit[1] === $trace->pid ? 'pid' : '?', ' ', short($hit[2] ?? ''), ' ', ($hit[4] ?? 1) > 0 ? 'memory' : '-', "\n";
}
$elapsed = fn ($list, $key) => array_column($list, $key);
$calls = array_values(array_filter($run->hits, fn ($hit) => $hit[0] === 'cli_function'));
var_dump(array_column($calls, 3) === array_column($trace->calls, 'elapsed'), array_column($calls, 4) === array_column($trace->calls, 'memory'));
var_dump(short($trace->begin['uri']), $trace->begin['source'], $trace->begin['runtime']);
var_dump(abs($trace->begin['realtime'] / 1e9 - time()) < 600, $trace->end['peak'] > 100000);
?>
--EXPECT--
cli_request_init pid script.php one two words memory
cli_function pid usleep memory
cli_function pid slow memory
cli_function pid f memory
cli_function pid f memory
cli_function pid f memory
cli_function pid f memory
cli_function pid script.php memory
cli_request_shutdown pid  memory
bool(true)
bool(true)
string(24) "script.php one two words"
int(2)
int(1)
bool(true)
bool(true)
