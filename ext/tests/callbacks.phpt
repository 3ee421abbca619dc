--TEST--
Internal functions that call back, autoloaders and output buffer callbacks
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
function order($a, $b) { return $a <=> $b; }
function upper($m) { return strtoupper($m[0]); }
function load($class) { eval("class $class { static function go() {} }"); }
function filter($text) { return strrev($text); }
$list = [2, 1];
usort($list, "order");
preg_replace_callback("/x/", "upper", "axbx");
spl_autoload_register("load");
Loaded::go();
Loaded::go();
ob_start("filter");
echo "cba";
ob_end_flush();
array_walk($list, fn ($v) => $v);
iterator_to_array(new CallbackFilterIterator(new ArrayIterator([1, 2]), fn ($v) => $v > 1));
')->trace();
show_tree($trace);
check($trace);
?>
--EXPECT--
script.php
  usort
    order
  preg_replace_callback
    upper
      strtoupper
    upper
      strtoupper
  spl_autoload_register
  load
  Loaded::go
  Loaded::go
  ob_start
  ob_end_flush
    filter
      strrev
  array_walk
    {closure}:script.php:16
    {closure}:script.php:16
  ArrayIterator::__construct
  CallbackFilterIterator::__construct
  iterator_to_array
    FilterIterator::rewind
      CallbackFilterIterator::accept
        {closure}:script.php:17
      CallbackFilterIterator::accept
        {closure}:script.php:17
    IteratorIterator::valid
    IteratorIterator::current
    IteratorIterator::key
    FilterIterator::next
    IteratorIterator::valid
consistent
