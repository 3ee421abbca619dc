// SPDX-License-Identifier: Apache-2.0
const tick = () => new Promise((resolve) => setTimeout(resolve, 3));

export class PriceList {
  async price(item) {
    await tick();
    return this.#lookUp(item);
  }

  #lookUp(item) {
    return item.length;
  }
}

export class Cart {
  constructor(items) {
    this.items = items;
    this.prices = new PriceList();
  }

  async total() {
    let sum = 0;
    for (const item of this.items) sum += await this.prices.price(item);
    return sum;
  }
}
