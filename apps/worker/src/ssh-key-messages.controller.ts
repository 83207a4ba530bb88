import { Catch, Controller, UseFilters, type ExceptionFilter, type PipeTransform } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { isoTime, LookUpSshKeysQuery, RecordSshKeyUseCommand } from '@keyfold/application';
import { COMMANDS, InvalidMessage, QUESTIONS, type MessageContext } from '@keyfold/messaging';
import { SshKeyLookUpRequest, SshKeyUseMessage, type SshKeyLookUpReply } from '@keyfold/messaging/events';
import { isIP } from 'node:net';
import { throwError, type Observable } from 'rxjs';
import type { z } from 'zod';

/** Keeps the class of an error, which decides on retries; Nest's default filter replaces it with a text. */
@Catch()
class KeepErrors implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/** Validates the data of a message. Throws `InvalidMessage`, whose text names the invalid fields but no values. */
class DataOf<Schema extends z.ZodType> implements PipeTransform<unknown, z.infer<Schema>> {
  constructor(private readonly schema: Schema) {}

  transform(data: unknown): z.infer<Schema> {
    const parsed = this.schema.safeParse(data);
    if (parsed.success) return parsed.data;
    const fields = new Set(parsed.error.issues.map(({ path }) => String(path[0] ?? 'body')));
    throw new InvalidMessage('message-invalid', `the data does not match the schema: ${[...fields].join(', ')}`);
  }
}

type Found = Extract<SshKeyLookUpReply, { ok: true }>['data'];

/** Takes the messages of servers that let in with SSH keys. The error of a handler decides what happens to its message. */
@Controller()
@UseFilters(new KeepErrors())
export class SshKeyMessagesController {
  constructor(
    private readonly commandBus: CommandBus,
    private readonly queryBus: QueryBus,
  ) {}

  /** Answers which SSH keys may log in under a username. */
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

  /** Records the use of an SSH key, reported by a server that has verified a signature. */
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
