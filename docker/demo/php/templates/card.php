<?php // SPDX-License-Identifier: Apache-2.0 ?>
<li><a href="/book/<?= (int) $book['id'] ?>"><?= $this->escape($book['title']) ?></a> by <?= $this->escape($book['author']) ?>,
<?= $this->price((int) $book['price']) ?>, <?= number_format($book['rating'], 1) ?> of 5</li>
