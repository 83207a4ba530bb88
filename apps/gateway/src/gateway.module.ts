import { Controller, Get, Module } from '@nestjs/common';
import { x } from '@keyfold/domain';
@Controller() export class P { @Get('ping') ping() { return x; } }
@Module({ controllers: [P] })
export class GatewayModule {}
