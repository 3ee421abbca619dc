// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';

// The client of the PHP site. It hands on the request's id, so that both traces are found by it.
export class Site {
  constructor(url) {
    this.url = url;
  }

  async front(id = randomUUID()) {
    const answer = await fetch(`${this.url}/`, { headers: { 'x-request-id': id } });
    return { id, status: answer.status, title: this.title(await answer.text()) };
  }

  title(page) {
    return /<title>([^<]*)/.exec(page)?.[1]?.trim() ?? '';
  }
}
