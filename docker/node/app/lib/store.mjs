// SPDX-License-Identifier: Apache-2.0
// The data, in memory, behind the waits that a database would cost.
import { setTimeout as sleep } from 'node:timers/promises';

const SHIPS = ['Albatross', 'Bittern', 'Curlew', 'Dunlin', 'Eider', 'Fulmar', 'Gannet', 'Heron', 'Ibis', 'Jackdaw'];
const PORTS = ['Bergen', 'Esbjerg', 'Hull', 'Leith', 'Ostend'];
const RANKS = ['master', 'mate', 'engineer', 'cook'];
const QUERY_MS = 2;

export class Store {
  constructor() {
    this.ships = SHIPS.map((name, id) => ({ id, name, port: PORTS[id % PORTS.length], leaves: 6 + id }));
  }

  async query(select) {
    await sleep(QUERY_MS);
    return select();
  }

  departures() {
    return this.query(() => this.ships.toSorted?.((a, b) => a.leaves - b.leaves) ?? [...this.ships]);
  }

  ship(id) {
    return this.query(() => this.ships.find((ship) => ship.id === id));
  }

  crew(ship) {
    return this.query(() => RANKS.map((rank, i) => ({ rank, name: `${rank} ${ship.id * RANKS.length + i}` })));
  }
}
