--TEST--
Off, or on and not watched: nothing is told, and the settings are shown
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
foreach ([[], ['compass.enabled' => '1']] as $ini) {
    $run = run('function a() { return 1; } a(); $r = new ReflectionExtension("compass"); $r->info(); var_dump(ini_set("compass.enabled", "1"), ini_set("compass.function_threshold", "1"), count($r->getINIEntries()));',
        ['extension' => false, 'watch' => $ini ? 'batch,cli_function' : 'all',
         'ini' => ['extension' => test_extension()] + $ini]);
    echo $run->output, count($run->hits), count($run->traces), "\n";
}
?>
--EXPECTF--
compass

Compass => disabled
Version => %s

Directive => Local Value => Master Value
compass.enabled => Off => Off
compass.function_threshold => 1000000 => 1000000
compass.callers => On => On
bool(false)
bool(false)
int(3)
00

compass

Compass => enabled
Version => %s
Clock => %s
Watched => no
Not recorded for want of memory => 0

Directive => Local Value => Master Value
compass.enabled => On => On
compass.function_threshold => 1000000 => 1000000
compass.callers => On => On
bool(false)
bool(false)
int(3)
00
