--TEST--
Session handlers run when the request is all but over, and belong to it
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
class Handler implements SessionHandlerInterface {
    function open($path, $name): bool { return true; }
    function close(): bool { return true; }
    function read($id): string { return ""; }
    function write($id, $data): bool { usleep(2000); return true; }
    function destroy($id): bool { return true; }
    function gc($max): int { return 0; }
}
session_set_save_handler(new Handler, false);
session_start();
$_SESSION["a"] = 1;
', ['ini' => ['session.use_cookies' => '0', 'session.gc_probability' => '0']]);
$trace = $run->trace();
show_tree($trace);
check($trace);
?>
--EXPECT--
script.php
  session_set_save_handler
  session_start
    Handler::open
    Handler::read
Handler::write
  usleep
Handler::close
consistent
