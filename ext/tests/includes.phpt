--TEST--
Files and eval are named by their file
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
$folder = sys_get_temp_dir() . '/compass-includes-' . getmypid();
mkdir($folder);
file_put_contents("$folder/part.php", '<?php function part() { return 7; } part(); return part();');
$trace = run('
for ($i = 0; $i < 2; $i++) { function_exists("part") || include "' . $folder . '/part.php"; }
eval("part();");
include_once "' . $folder . '/part.php";
', ['ini' => ['display_errors' => '0']]);
unlink("$folder/part.php");
rmdir($folder);
echo $trace->status, "\n";
show_tree($trace->traces[0]);
check($trace->traces[0]);
?>
--EXPECT--
0
script.php
  function_exists
  part.php
    part
    part
  function_exists
  script.php(4) : eval()'d code
    part
consistent
