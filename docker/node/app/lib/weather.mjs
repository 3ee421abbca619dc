// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';

async function forecast(area) {
  await sleep(120);
  return { area, wind: (area.length % 5) + 3 };
}

export async function outlook(areas) {
  const forecasts = [];
  for (const area of areas) forecasts.push(await forecast(area));
  return forecasts;
}
