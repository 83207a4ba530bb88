import { CommandBus } from '@nestjs/cqrs';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { RecordSshKeyUseCommand } from '@keyfold/application';
import { COMMANDS, InvalidMessage, type MessageContext } from '@keyfold/messaging';
import { SshKeyUseMessage } from '@keyfold/messaging/events';
import { isIP } from 'node:net';
import { DataOf, MessageController } from './message-controller.decorator.js';

/** Records the use of an SSH key, reported by a server that has verified a signature. */
@MessageController()
export class SshKeyUseController {
  constructor(private readonly commandBus: CommandBus) {}

  @EventPattern<string>('ssh-key.use', COMMANDS)
  async record(
    @Payload(new DataOf(SshKeyUseMessage)) { account, fingerprint, address, time }: SshKeyUseMessage,
    @Ctx() { id, correlation = '', traceparent }: MessageContext,
  ): Promise<void> {
    // Checked but not stored: only events of sessions contain addresses.
    if (isIP(address) === 0) throw new InvalidMessage('message-invalid', 'the data does not match the schema: address');
    if (id === undefined) throw new InvalidMessage('message-id-missing', 'the message has no message-id');
    const origin = { correlation, ...(traceparent !== undefined && { traceparent }) };
    const report = { reporter: 'message', reportId: id, origin };
    await this.commandBus.execute(
      new RecordSshKeyUseCommand({ accountId: account, fingerprint, usedAt: Date.parse(time), ...report }),
    );
  }
}
