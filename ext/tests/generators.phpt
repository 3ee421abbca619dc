--TEST--
A generator is a call for each time that it is resumed
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$trace = run('
function numbers() { try { for ($i = 0; $i < 3; $i++) { yield step($i); } } finally { cleanup(); } }
function both() { yield from numbers(); yield 9; }
function step($i) { return $i; }
function cleanup() {}
function left() { $g = numbers(); $g->current(); }
foreach (numbers() as $n) { echo $n; }
foreach (both() as $n) { echo $n; }
left();
')->trace();
show_tree($trace);
show_totals($trace);
check($trace);
?>
--EXPECT--
script.php
  numbers
    step
  numbers
    step
  numbers
    step
  numbers
    cleanup
  both
  numbers
    step
  numbers
    step
  numbers
    step
  numbers
    cleanup
  both
  both
  left
    Generator::current
      numbers
        step
  numbers
    cleanup
Generator::current 1 < left 1
both 3 < script.php 3
cleanup 3 < numbers 3
left 1 < script.php 1
numbers 10 < Generator::current 1, script.php 9
script.php 1
step 7 < numbers 7
consistent
