import { Module } from '@nestjs/common';
import { CallerModule } from '../caller/caller.module.js';
import { AccountSessions } from './account-sessions.js';
import { EndAnySessionHandler, EvictAnySessionsHandler, ListAnySessionsHandler } from './manage-sessions.js';
import {
  EndOwnSessionHandler,
  EvictOwnSessionsHandler,
  ListOwnSessionsHandler,
  LogOutHandler,
} from './own-sessions.js';
import { SessionEnding } from './session-ending.js';

@Module({
  imports: [CallerModule],
  providers: [
    AccountSessions,
    SessionEnding,
    EndAnySessionHandler,
    EndOwnSessionHandler,
    EvictAnySessionsHandler,
    EvictOwnSessionsHandler,
    ListAnySessionsHandler,
    ListOwnSessionsHandler,
    LogOutHandler,
  ],
})
export class SessionsModule {}
