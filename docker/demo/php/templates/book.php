<?php // SPDX-License-Identifier: Apache-2.0 ?>
<ul><?= $this->render('card', ['book' => $book]) ?></ul>
<p><a href="/checkout?book=<?= (int) $book['id'] ?>">Buy</a></p>
<?php foreach ($reviews as $review): ?>
<blockquote><?= str_repeat('★', (int) $review['stars']) ?> <?= $this->escape($review['body']) ?></blockquote>
<?php endforeach ?>
