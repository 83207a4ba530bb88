import { QueryBus } from '@nestjs/cqrs';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { isoTime, LookUpSshKeysQuery } from '@keyfold/application';
import { QUESTIONS } from '@keyfold/messaging';
import { SshKeyLookUpRequest, type SshKeyLookUpReply } from '@keyfold/messaging/events';
import { DataOf, MessageController } from './message-controller.decorator.js';

type Found = Extract<SshKeyLookUpReply, { ok: true }>['data'];

/** Answers which SSH keys may log in under a username. */
@MessageController()
export class SshKeyLookUpController {
  constructor(private readonly queryBus: QueryBus) {}

  @MessagePattern<string>('ssh-keys.look-up', QUESTIONS)
  async lookUp(
    @Payload(new DataOf(SshKeyLookUpRequest)) { username, fingerprint }: SshKeyLookUpRequest,
  ): Promise<Found> {
    const found = await this.queryBus.execute(new LookUpSshKeysQuery(username, fingerprint));
    if (!found) return null;
    const { accountId, username: name, permission } = found;
    const keys = found.keys.map(({ blob, expiresAt, ...key }) => ({
      ...key,
      publicKey: `${key.type} ${blob}`,
      ...(expiresAt !== undefined && { expires: isoTime(expiresAt) }),
    }));
    return { accountId, username: name, permission, keys };
  }
}
