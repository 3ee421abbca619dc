--TEST--
A stack of 100,000 calls
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
function down($n) { return $n > 0 ? down($n - 1) : 0; }
echo down(99999);
')->trace();
show_totals($trace);
echo max(array_column($trace->calls, 'depth')), "\n";
check($trace);
?>
--EXPECT--
down 100000 < down 99999, script.php 1
script.php 1
100000
consistent
