<?php // SPDX-License-Identifier: Apache-2.0 ?>
<p><?= $this->escape($book['title']) ?> for <?= $this->price((int) $book['price']) ?>, with you in <?= (int) $offer['days'] ?> days.</p>
