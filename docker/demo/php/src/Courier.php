<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Harbour;

/** The client of a parcel service, which is this application's own /courier behind the web server. */
final class Courier
{
    /** @return array{days: int} */
    public function offer(string $parcel): array
    {
        $base = getenv('HARBOUR_COURIER') ?: "http://127.0.0.1:{$_SERVER['SERVER_PORT']}";
        $handle = curl_init("$base/courier?parcel=" . rawurlencode($parcel));
        curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 5, CURLOPT_PROXY => '']);
        $answer = curl_exec($handle);
        if (!is_string($answer)) {
            throw new \RuntimeException('The courier does not answer: ' . curl_error($handle));
        }
        return json_decode($answer, true, 8, JSON_THROW_ON_ERROR);
    }
}
