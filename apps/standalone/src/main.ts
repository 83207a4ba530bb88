import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { GatewayModule } from '@keyfold/gateway';
const app = await NestFactory.create(GatewayModule, new FastifyAdapter());
await app.listen(5299);
