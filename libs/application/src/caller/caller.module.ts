import { Module } from '@nestjs/common';
import { AppPasswordCheck } from './app-password-check.js';
import { CallerIdentifier } from './caller-identifier.js';
import { TokenActivity } from './token-activity.js';

@Module({
  providers: [AppPasswordCheck, CallerIdentifier, TokenActivity],
  exports: [AppPasswordCheck, CallerIdentifier, TokenActivity],
})
export class CallerModule {}
