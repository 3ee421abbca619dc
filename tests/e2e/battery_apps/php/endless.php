<?php
// SPDX-License-Identifier: Apache-2.0
// Saving tells listeners, one of which saves: nobody meant it to go on until the limit.
require __DIR__ . '/shop.php';

class Order
{
    public int $version = 0;

    public function save(): void
    {
        $this->version++;
        work(2_000);
        (new Listener())->saved($this);
    }
}

class Listener
{
    public function saved(Order $order): void
    {
        if ($order->version < 2000) {
            $order->save();
        }
    }
}

work(400_000);
$order = new Order();
$order->save();
echo $order->version, "\n";
