--TEST--
__call and __callStatic are the calls that are seen
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
class M { function __call($n, $a) { return $n; } static function __callStatic($n, $a) { return $n; }
          function __get($n) { return $n; } function __invoke() {} function __toString(): string { return "m"; } }
$m = new M;
$m->anything(1); $m->other(); M::some(); $m->x; $m(); (string) $m;
array_map([$m, "mapped"], [1, 2]);
')->trace();
show_tree($trace);
check($trace);
?>
--EXPECT--
script.php
  M::__call
  M::__call
  M::__callStatic
  M::__get
  M::__invoke
  M::__toString
  array_map
    M::__call
    M::__call
consistent
