--TEST--
Closures are told apart by their place; callables and bound ones keep their names
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
namespace App;
class Box { private $v = 1; function get() { return function () { return $this->v; }; } function own($x) { return $x; } }
$a = function () { return 1; };
$b = fn () => 2;
$a(); $b(); $b();
$box = new Box;
$get = $box->get();
$get();
for ($i = 0; $i < 3; $i++) { \Closure::bind(function () { return $this->v; }, new Box, Box::class)(); }
$own = $box->own(...);
$own(1);
$length = \strrev(...);
$length("abc");
\call_user_func([$box, "own"], 2);
', ['watch' => 'all']);
show_totals($trace->trace());
check($trace->trace());
$names = array_map(fn ($hit) => $hit[0] === 'cli_function' ? short($hit[2]) : '', $trace->hits);
echo implode(' ', array_keys(array_count_values(array_filter($names)))), "\n";
?>
--EXPECT--
App\Box::App\{closure}:script.php:11 3 < script.php 3
App\Box::App\{closure}:script.php:4 1 < script.php 1
App\Box::get 1 < script.php 1
App\Box::own 2 < script.php 2
App\{closure}:script.php:5 1 < script.php 1
App\{closure}:script.php:6 2 < script.php 2
Closure::bind 3 < script.php 3
script.php 1
strrev 1 < script.php 1
consistent
App\{closure} App\Box::get App\Box::App\{closure} Closure::bind App\Box::own strrev script.php
