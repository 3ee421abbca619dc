--TEST--
Loaded by dl() in the middle of a request it does nothing
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
var_dump(dl("compass_test.so"), extension_loaded("compass"));
function a() { return "a\n"; }
$fiber = new Fiber(function () { Fiber::suspend(); echo a(); });
$fiber->start();
$fiber->resume();
(new ReflectionExtension("compass"))->info();
', ['extension' => false, 'watch' => 'all', 'ini' => ['enable_dl' => '1',
    'extension_dir' => dirname(test_extension()), 'compass.enabled' => '1']]);
echo strstr($run->output, 'Version', true), count($run->hits), count($run->traces), ' ', $run->status, "\n";
?>
--EXPECT--
bool(true)
bool(true)
a

compass

Compass => disabled
00 0
