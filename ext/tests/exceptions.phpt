--TEST--
Exceptions through many calls end each of them
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
class Thrower { function __construct() { throw new Exception("x"); } }
function deep($n) { if ($n === 0) { new Thrower; } deep($n - 1); }
function catcher() { try { deep(3); } catch (Exception $e) { after(); } finally { last(); } }
function after() {}
function last() {}
function internal() { try { array_map(fn () => throw new Error, [1, 2]); } catch (Error $e) { after(); } }
catcher();
internal();
')->trace();
show_tree($trace);
check($trace);
?>
--EXPECT--
script.php
  catcher
    deep
      deep
        deep
          deep
            Thrower::__construct
              Exception::__construct
    after
    last
  internal
    array_map
      {closure}:script.php:8
        Error::__construct
    after
consistent
