import { Module } from '@nestjs/common';
import { FindSshKeyHandler } from './find-key-owners.js';
import { LookUpPastSshKeysHandler, LookUpSshKeysHandler } from './look-up-keys.js';
import { ListAnySshKeysHandler, RemoveAnySshKeyHandler } from './manage-keys.js';
import {
  AddOwnSshKeyHandler,
  ListOwnSshKeysHandler,
  RemoveOwnSshKeyHandler,
  UpdateOwnSshKeyHandler,
} from './own-keys.js';
import { RecordSshKeyUseHandler } from './record-key-use.js';

@Module({
  providers: [
    AddOwnSshKeyHandler,
    FindSshKeyHandler,
    ListAnySshKeysHandler,
    ListOwnSshKeysHandler,
    LookUpPastSshKeysHandler,
    LookUpSshKeysHandler,
    RecordSshKeyUseHandler,
    RemoveAnySshKeyHandler,
    RemoveOwnSshKeyHandler,
    UpdateOwnSshKeyHandler,
  ],
})
export class SshKeysModule {}
