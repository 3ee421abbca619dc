// SPDX-License-Identifier: Apache-2.0
import { Cart } from '../../../lib/shop';

export const dynamic = 'force-dynamic';

export async function GET() {
  return Response.json({ total: await new Cart(['a', 'bb', 'ccc']).total() });
}
