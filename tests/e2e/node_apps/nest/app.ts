// SPDX-License-Identifier: Apache-2.0
// A Nest application as its users write one: a module, a controller, services that are injected, a guard
// and a filter for exceptions. The price list is a factory's, and slow.
import 'reflect-metadata';
import {
  ArgumentsHost, Catch, CanActivate, Controller, ExceptionFilter, Get, Inject, Injectable, Module, UseFilters, UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
const { Cart } = require('../shop.cjs');

@Injectable()
class CartService {
  constructor(@Inject('FIRST_ITEM') private readonly first: string) {}

  async total(items: string[]): Promise<number> {
    return new Cart([this.first, ...items]).total();
  }
}

function checkVisitor() {
  return true;
}

@Injectable()
class VisitorGuard implements CanActivate {
  async canActivate(): Promise<boolean> {
    return checkVisitor();
  }
}

@Catch(Error)
class FailureFilter implements ExceptionFilter {
  catch(error: Error, host: ArgumentsHost) {
    host.switchToHttp().getResponse().status(503).send(error.message);
  }
}

@Controller()
@UseGuards(VisitorGuard)
@UseFilters(FailureFilter)
class CartController {
  constructor(private readonly carts: CartService) {}

  @Get('cart')
  async show() {
    return { total: await this.carts.total(['bb', 'ccc']) };
  }

  @Get('fail')
  fail() {
    throw new Error('it fails');
  }
}

@Module({
  controllers: [CartController],
  providers: [CartService, { provide: 'FIRST_ITEM', useFactory: async () => 'a' }],
})
class ShopModule {}

async function bootstrap() {
  const app = await NestFactory.create(ShopModule, { logger: false });
  await app.listen(0);
  console.log(app.getHttpServer().address().port);
}

void bootstrap();
