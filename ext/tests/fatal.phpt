--TEST--
Fatal errors in nested calls: uncaught exception, memory limit, E_USER_ERROR, one in a shutdown function
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$faults = [
    'exception' => 'throw new Exception("boom");',
    'memory' => 'str_repeat("x", 1 << 30);',
    'user error' => 'trigger_error("stop", E_USER_ERROR);',
    'no such function' => 'missing();',
];
foreach ($faults as $name => $fault) {
    $run = run('
function inner() { ' . $fault . ' }
function outer() { inner(); never(); }
function never() {}
function bye() {}
register_shutdown_function("bye");
outer();
', ['ini' => ['memory_limit' => '16M', 'display_errors' => '0']]);
    echo "--- $name $run->status\n";
    show_tree($run->traces[0]);
    check($run->traces[0]);
}
$run = run('
function inner() { trigger_error("stop", E_USER_ERROR); }
function bye() { inner(); }
class Guard { function __destruct() {} }
$guard = new Guard;
register_shutdown_function("bye");
', ['ini' => ['display_errors' => '0']]);
echo "--- shutdown $run->status\n";
show_totals($run->traces[0]);
check($run->traces[0]);
?>
--EXPECT--
--- exception 255
script.php
  register_shutdown_function
  outer
    inner
      Exception::__construct
Exception::__toString
  Exception::getTraceAsString
bye
consistent
--- memory 255
script.php
  register_shutdown_function
  outer
    inner
      str_repeat
bye
consistent
--- user error 255
script.php
  register_shutdown_function
  outer
    inner
      trigger_error
bye
consistent
--- no such function 255
script.php
  register_shutdown_function
  outer
    inner
Error::__toString
  Error::getTraceAsString
bye
consistent
--- shutdown 255
bye 1
inner 1 < bye 1
register_shutdown_function 1 < script.php 1
script.php 1
trigger_error 1 < inner 1
consistent
