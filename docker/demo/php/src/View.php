<?php
// SPDX-License-Identifier: Apache-2.0

declare(strict_types=1);

namespace Harbour;

/** Templates are PHP files that may render others: pages, then pieces of pages. */
final class View
{
    public function page(string $template, array $values): string
    {
        $content = $this->render($template, $values);
        return $this->render('layout', ['title' => $values['title'], 'content' => $content]);
    }

    public function render(string $template, array $values): string
    {
        extract($values);
        ob_start();
        try {
            require __DIR__ . "/../templates/$template.php";
            return (string) ob_get_contents();
        } finally {
            ob_end_clean();
        }
    }

    public function escape(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES);
    }

    public function price(int $cents): string
    {
        return '€ ' . number_format($cents / 100, 2);
    }
}
