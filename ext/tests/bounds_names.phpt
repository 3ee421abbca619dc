--TEST--
Bounds on names and on pairs: what has no place is counted, and nothing else is lost
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

function account(Trace $trace): string
{
    $calls = array_sum(array_column($trace->functions, 'calls'));
    $with_caller = 0;
    foreach ($trace->functions as $totals) {
        $with_caller += array_sum(array_column($totals['callers'], 'calls'));
    }
    return "{$trace->end['functions']} without a place, {$trace->end['callers']} without a caller, " .
        $calls + $trace->end['functions'] . ' calls, ' .
        ($with_caller + $trace->end['callers'] === $calls - 1 ? 'callers add up' : 'callers do not add up');
}

$options = ['ini' => ['compass.function_threshold' => '1000000000', 'memory_limit' => '2G']];
$run = run('
for ($i = 0; $i < 2200; $i++) {
    $name = "f" . $i . str_repeat("n", 8000);
    eval("function $name() {}");
    $name();
}
', $options);
$trace = $run->trace();
echo account($trace), "\n";
echo count($trace->functions) > 2000 ? 'most have totals' : count($trace->functions), "\n";

$run = run('
$code = "";
for ($i = 0; $i < 500; $i++) { $code .= "function callee$i() {}\n"; }
for ($i = 0; $i < 600; $i++) { $code .= "function caller$i() { for (\$i = 0; \$i < 500; \$i++) { (\"callee\" . \$i)(); } }\n"; }
eval($code);
for ($i = 0; $i < 600; $i++) { ("caller" . $i)(); }
', $options);
echo account($run->trace()), "\n";
?>
--EXPECT--
152 without a place, 0 without a caller, 4401 calls, callers add up
most have totals
0 without a place, 37356 without a caller, 300601 calls, callers add up
