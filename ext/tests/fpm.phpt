--TEST--
Requests through FPM: id, URI, method, status, fastcgi_finish_request, several in one worker
--SKIPIF--
<?php
require __DIR__ . '/support/trace.inc';
require_test_extension();
trim((string) shell_exec('command -v php-fpm8.2')) || die('skip needs php-fpm8.2');
?>
--FILE--
<?php
// SPDX-License-Identifier: Apache-2.0
require __DIR__ . '/support/trace.inc';
require __DIR__ . '/support/fpm.inc';
$fpm = new Fpm(['compass.function_threshold' => '0'], 'all');
$requests = [
    ['function a() { usleep(1); } a(); http_response_code(404); echo "body";', ['HTTP_X_REQUEST_ID' => 'abc-1', 'REQUEST_URI' => '/one?x=1',
        'HTTP_TRACEPARENT' => '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01']],
    ['echo "two";', ['REQUEST_URI' => '', 'SCRIPT_NAME' => '/two.php', 'REQUEST_METHOD' => 'POST',
        'HTTP_TRACEPARENT' => '00-00000000000000000000000000000000-00f067aa0ba902b7-01']],
    ['function late() {} echo "early"; fastcgi_finish_request(); echo "lost"; late();', ['HTTP_X_REQUEST_ID' => '', 'REQUEST_URI' => '/three']],
    ['echo isset($_SERVER["HTTP_X_REQUEST_ID"]) ? "id" : "none"; function big() { throw new Exception("x"); } big();', ['REQUEST_URI' => '/' . str_repeat('u', 9000)]],
];
foreach ($requests as [$code, $variables]) {
    echo strstr($fpm->request($code, $variables), "\r\n\r\n"), "\n";
}
$run = $fpm->stop();
foreach ($run->traces as $trace) {
    echo '--- id=', $trace->begin['id'], ' uri=', substr($trace->begin['uri'], 0, 20), '(', strlen($trace->begin['uri']), ') method=', $trace->begin['method'],
        ' source=', $trace->begin['source'], ' status=', $trace->end['status'], ' aborted=', $trace->end['aborted'], ' parent=', $trace->parent, "\n";
    show_tree($trace);
    check($trace);
}
foreach ($run->hits as $hit) {
    echo $hit[0], ' ', $hit[1], ' ', substr(short($hit[2] ?? ''), 0, 40), "\n";
}
?>
--EXPECT--
body


two


early


none
--- id=abc-1 uri=/one?x=1(8) method=GET source=1 status=404 aborted=0 parent=4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7
script.php
  a
    usleep
  http_response_code
consistent
--- id= uri=/two.php(8) method=POST source=1 status=200 aborted=0 parent=
script.php
consistent
--- id= uri=/three(6) method=GET source=1 status=200 aborted=0 parent=
script.php
  fastcgi_finish_request
  late
consistent
--- id= uri=/uuuuuuuuuuuuuuuuuuu(8192) method=GET source=1 status=200 aborted=0 parent=
script.php
  big
    Exception::__construct
Exception::__toString
  Exception::getTraceAsString
consistent
fpm_request_init abc-1 /one?x=1
fpm_function abc-1 usleep
fpm_function abc-1 a
fpm_function abc-1 http_response_code
fpm_function abc-1 script.php
fpm_request_shutdown abc-1 
fpm_request_init UNKNOWN /two.php
fpm_function UNKNOWN script.php
fpm_request_shutdown UNKNOWN 
fpm_request_init UNKNOWN /three
fpm_function UNKNOWN fastcgi_finish_request
fpm_function UNKNOWN late
fpm_function UNKNOWN script.php
fpm_request_shutdown UNKNOWN 
fpm_request_init UNKNOWN /uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu
fpm_function UNKNOWN Exception::__construct
fpm_function UNKNOWN big
fpm_function UNKNOWN script.php
fpm_function UNKNOWN Exception::getTraceAsString
fpm_function UNKNOWN Exception::__toString
fpm_request_shutdown UNKNOWN
