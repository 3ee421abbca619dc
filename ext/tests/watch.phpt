--TEST--
A request that starts or stops being watched in the middle
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
echo "--- begins unwatched, is watched later\n";
$run = run('
function a() {}
a();
compass_test_watch("canary", true);
compass_test_watch("batch", true);
compass_test_watch("cli_function", true);
a();
', ['watch' => 'http_function']);
echo count($run->traces), ' ', count($run->hits), "\n";
echo "--- the classic probes come and go\n";
$run = run('
function a() {} function b() {} function c() {}
a();
compass_test_watch("cli_function", true);
b();
compass_test_watch("cli_function", false);
c();
', ['watch' => 'canary,batch']);
echo implode(' ', array_column($run->hits, 2)), "\n";
show_tree($run->trace());
check($run->trace());
echo "--- a batch tracer that comes late waits for the next request\n";
$run = run('
function a() {}
compass_test_watch("batch", true);
a();
', ['watch' => 'canary,cli_request_init,cli_function,cli_request_shutdown']);
echo count($run->traces), ' ', implode(' ', array_map(fn ($hit) => short("$hit[0]:" . ($hit[2] ?? '')), $run->hits)), "\n";
echo "--- everybody leaves\n";
$run = run('
function a() {}
a();
foreach (["canary", "batch", "cli_function", "cli_request_shutdown"] as $probe) { compass_test_watch($probe, false); }
a();
echo "done\n";
', ['watch' => 'all']);
echo $run->output, count(array_filter($run->hits, fn ($hit) => ($hit[2] ?? '') === 'a')), "\n";
?>
--EXPECT--
--- begins unwatched, is watched later
0 0
--- the classic probes come and go
compass_test_watch b
script.php
  a
  compass_test_watch
  b
  compass_test_watch
  c
consistent
--- a batch tracer that comes late waits for the next request
0 cli_request_init:script.php cli_function:compass_test_watch cli_function:a cli_function:script.php cli_request_shutdown:
--- everybody leaves
done
1
