--TEST--
exit() in nested calls; shutdown functions and destructors come as outermost calls
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$run = run('
class Guard { function __destruct() { echo "destructed\n"; cleanup(); } }
function cleanup() {}
function leave($n) { if ($n === 0) exit(3); leave($n - 1); }
function bye() { echo "bye\n"; cleanup(); }
$guard = new Guard;
register_shutdown_function("bye");
leave(2);
');
echo $run->output, $run->status, "\n";
$trace = $run->traces[0];
show_tree($trace);
check($trace);
?>
--EXPECT--
bye
destructed
3
script.php
  register_shutdown_function
  leave
    leave
      leave
bye
  cleanup
Guard::__destruct
  cleanup
consistent
