import { Module } from '@nestjs/common';
import { CallerIdentifier } from './caller-identifier.js';
import { TokenActivity } from './token-activity.js';

@Module({
  providers: [CallerIdentifier, TokenActivity],
  exports: [CallerIdentifier, TokenActivity],
})
export class CallerModule {}
