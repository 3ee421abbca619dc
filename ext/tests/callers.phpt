--TEST--
compass.callers: off leaves out who called, and counts the same calls
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$code = 'function leaf() {} function one() { leaf(); leaf(); } function two() { leaf(); }
for ($i = 0; $i < 3; $i++) { one(); two(); } (fn() => leaf())();';
foreach (['', '1', '0'] as $value) {
    $trace = run($code, ['ini' => ['compass.callers' => $value, 'compass.function_threshold' => '0']])->trace();
    echo "--- '$value', dropped {$trace->end['callers']}\n";
    foreach (['leaf', 'one', 'two'] as $name) {
        echo $name, ' ', $trace->functions[$name]['calls'];
        foreach ($trace->functions[$name]['callers'] as $caller => $totals) {
            echo ', ', $totals['calls'], ' from ', preg_replace('/:.*/', '', short($caller));
        }
        echo "\n";
    }
    check($trace);
}
?>
--EXPECT--
--- '', dropped 0
leaf 10, 6 from one, 1 from {closure}, 3 from two
one 3, 3 from script.php
two 3, 3 from script.php
consistent
--- '1', dropped 0
leaf 10, 6 from one, 1 from {closure}, 3 from two
one 3, 3 from script.php
two 3, 3 from script.php
consistent
--- '0', dropped 0
leaf 10
one 3
two 3
consistent
