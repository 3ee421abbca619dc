// SPDX-License-Identifier: Apache-2.0
export class BoardController {
  constructor(store) {
    this.store = store;
  }

  async show(request, response) {
    const ships = await this.store.departures();
    response.render('board', { ships: ships.map((ship) => this.line(ship)) });
  }

  line(ship) {
    return { ...ship, time: this.time(ship.leaves) };
  }

  time(hour) {
    return `${String(hour).padStart(2, '0')}:00`;
  }

  async ship(request, response) {
    const ship = await this.store.ship(Number(request.params.id));
    if (!ship) response.status(404).send('There is no such ship.');
    else response.render('ship', { ship: this.line(ship), crew: await this.store.crew(ship) });
  }

  async crews(request, response) {
    const list = [];
    for (const ship of await this.store.departures()) list.push({ ship: ship.name, crew: await this.store.crew(ship) });
    response.json(list);
  }
}
