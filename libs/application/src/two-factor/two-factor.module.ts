import { Module } from '@nestjs/common';
import { LoginModule } from '../login/login.module.js';
import {
  DisableOwnTwoFactorHandler,
  DisableTwoFactorHandler,
  EnableTwoFactorHandler,
  GenerateRecoveryCodesHandler,
  StartTwoFactorEnrolmentHandler,
} from './manage-two-factor.js';
import { OwnerProof } from './owner-proof.js';

@Module({
  imports: [LoginModule],
  providers: [
    OwnerProof,
    DisableOwnTwoFactorHandler,
    DisableTwoFactorHandler,
    EnableTwoFactorHandler,
    GenerateRecoveryCodesHandler,
    StartTwoFactorEnrolmentHandler,
  ],
  exports: [OwnerProof],
})
export class TwoFactorModule {}
