import { Module } from '@nestjs/common';
import { CallerModule } from '../caller/caller.module.js';
import { ListAnyAccessTokensHandler, RevokeAnyAccessTokenHandler } from './manage-access-tokens.js';
import {
  CreateOwnAccessTokenHandler,
  ListOwnAccessTokensHandler,
  RevokeOwnAccessTokenHandler,
} from './own-access-tokens.js';

@Module({
  imports: [CallerModule],
  providers: [
    CreateOwnAccessTokenHandler,
    ListAnyAccessTokensHandler,
    ListOwnAccessTokensHandler,
    RevokeAnyAccessTokenHandler,
    RevokeOwnAccessTokenHandler,
  ],
})
export class AccessTokensModule {}
