// SPDX-License-Identifier: Apache-2.0
'use strict';
// What the applications have in common: a cart that asks a slow price list.
const tick = () => new Promise((resolve) => setTimeout(resolve, 3));

class PriceList {
  async price(item) {
    await tick();
    return this.#lookUp(item);
  }

  #lookUp(item) {
    return item.length;
  }
}

class Cart {
  constructor(items) {
    this.items = items;
    this.prices = new PriceList();
  }

  async total() {
    let sum = 0;
    for (const item of this.items) sum += await this.prices.price(item);
    return this.round(sum);
  }

  round(sum) {
    return Math.round(sum);
  }
}

module.exports = { Cart };
