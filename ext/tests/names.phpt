--TEST--
Names of thousands of bytes, not UTF-8, with a NUL, with the same hash as another
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$long = str_repeat('n', 5000);
$trace = run("
namespace Space;
function $long() {}
class C$long { function m$long() {} }
$long();
(new C$long)->m$long();
function caf\xe9() {}
caf\xe9();
\$anonymous = new class { function run() {} };
\$anonymous->run();
// The engine's hash is the same for Ez and FY.
function fooEz() {}
function fooFY() {}
fooEz();
fooEz();
fooFY();
class BarEz { function m() {} }
class BarFY { function m() {} }
(new BarEz)->m();
(new BarFY)->m();
(new BarFY)->m();
", ['watch' => 'all'])->trace();
foreach ($trace->functions as $name => $totals) {
    echo strlen($name) > 100 ? substr($name, 0, 12) . '...' . strlen($name) : short($name), ' ', $totals['calls'], "\n";
}
check($trace);
?>
--EXPECT--
script.php 1
Space\nnnnnn...5006 1
Space\Cnnnnn...8192 1
Space\caf\351 1
class@anonymous\000script.php:10$0::run 1
Space\fooEz 2
Space\fooFY 1
Space\BarEz::m 1
Space\BarFY::m 2
consistent
