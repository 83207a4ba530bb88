import { setTimeout as sleep } from 'node:timers/promises';
import { untilStepHasLeft } from '../support/one-time-code.js';
import { Accounts } from './accounts.js';
import { answerDifferences, pictureDifferences, tokenDifferences, type ReceivedAnswer } from './answer-check.js';
import { WireClient, type UrlFrom } from './wire-client.js';
import {
  expectedAnswer,
  type Answer,
  type HttpAnswer,
  type Json,
  type JsonObject,
  type PictureAnswer,
  type RecordedCase,
  type RecordedKeys,
  type RecordedRequest,
  type SendStep,
  type Step,
  type TokenAnswer,
} from './recording.js';
import { valueAt } from './saved-path.js';
import { Variables } from './variables.js';

/** A server with one address or several alternating ones. */
export interface ReplayedServer {
  readonly urls: readonly string[];
  /** For servers that see real client addresses. Without it, the server must trust the forwarded header. */
  readonly urlFrom?: UrlFrom;
  restart(env?: Record<string, string>): Promise<void>;
}

/** A step whose answer differs. The message names the step and its differences. */
export class ReplayFailure extends Error {}

const CASE_ROOM_MS = 8_000;

/** Replays recorded steps against one server. Tokens and saved values live as long as the replayer. */
export class Replayer {
  private readonly client: WireClient;
  private readonly accounts: Accounts;
  private readonly variables: Variables;

  constructor(
    private readonly server: ReplayedServer,
    keys: RecordedKeys,
  ) {
    this.client = new WireClient(server.urls, server.urlFrom);
    this.accounts = new Accounts(this.client);
    this.variables = new Variables({
      host: this.client.host,
      keys,
      tokenOf: (account) => this.accounts.tokenOf(account),
      codeOf: (reference, shift) => this.accounts.codeOf(this.secretOf(reference), shift),
    });
  }

  /** Runs the steps that prepare a file. Throws `ReplayFailure`. */
  async prepare(steps: Step[]): Promise<void> {
    await this.replay({ id: 'given', title: '', steps });
  }

  /** Runs all steps of a case. Throws a `ReplayFailure` for the first that differs. */
  async replay(recorded: RecordedCase): Promise<void> {
    // All codes of a case must belong to one step, so a case starts with more time left than each code needs.
    if (usesCodes(recorded.steps)) await untilStepHasLeft(CASE_ROOM_MS);
    let first: ReplayFailure | undefined;
    // Steps after a failure also run, because the last ones often restore what other cases need.
    for (const [index, step] of recorded.steps.entries()) {
      const differences = await this.differencesOf(step, expectedAnswer(recorded, index)).catch(inWords);
      if (differences.length > 0) first ??= failure(index, step, differences);
    }
    if (first) throw first;
  }

  /** Closes the connections to the server. */
  close(): void {
    this.client.close();
  }

  private async differencesOf(step: Step, expected: Answer | undefined): Promise<string[]> {
    if ('send' in step) return this.send(step, expected as HttpAnswer | undefined);
    if ('decode' in step) {
      const token = await this.variables.text(step.decode);
      return expected ? tokenDifferences((await this.filled(expected)) as TokenAnswer, token) : [];
    }
    if ('qr' in step) {
      const picture = await this.variables.text(step.qr);
      return expected ? pictureDifferences((await this.filled(expected)) as PictureAnswer, picture) : [];
    }
    await this.act(step);
    return [];
  }

  private async act(step: Exclude<Step, { answer: Answer }>): Promise<void> {
    if ('create' in step) {
      const fields = (await this.variables.json(step.create as JsonObject)) as JsonObject;
      await this.accounts.create(fields);
      await this.saveAccount(String(fields['username']));
    } else if ('edit' in step) {
      await this.accounts.edit(step.edit, (await this.variables.json(step.set)) as JsonObject);
    } else if ('look' in step) await this.saveAccount(step.look);
    else if ('enrol' in step) await this.accounts.enrol(step.enrol, step.shift ?? 0);
    else if ('wait' in step) await sleep(step.wait);
    else await this.restart(step.env);
  }

  private async send({ send, save = {} }: SendStep, expected: HttpAnswer | undefined): Promise<string[]> {
    const received = await this.client.send({
      method: send.method,
      path: await this.variables.text(send.path),
      headers: await this.headersOf(send),
      body: await this.bodyOf(send),
      from: send.from,
    });
    const differences = expected ? answerDifferences((await this.filled(expected)) as HttpAnswer, received) : [];
    this.save(save, received);
    return differences;
  }

  /**
   * Skips values that the answer lacks, because a difference may omit them. Only a step that uses such a value fails.
   */
  private save(paths: Record<string, string>, { body }: ReceivedAnswer): void {
    const root = parsed(body);
    for (const [name, path] of Object.entries(paths)) this.variables.save(name, valueAt(root, path));
  }

  private async headersOf({ as, headers = {}, ...request }: RecordedRequest): Promise<Record<string, string>> {
    const all = {
      ...(hasBody(request) && { 'content-type': 'application/json' }),
      ...(as !== undefined && { authorization: await this.tokenFor(as) }),
      ...headers,
    };
    const sent: Record<string, string> = {};
    for (const [name, value] of Object.entries(all)) if (value !== null) sent[name] = await this.variables.text(value);
    return sent;
  }

  private async bodyOf({ json, text, base64 }: Partial<RecordedRequest>): Promise<Buffer | undefined> {
    if (json !== undefined) return Buffer.from(JSON.stringify(await this.variables.json(json)));
    if (text !== undefined) return Buffer.from(await this.variables.text(text));
    return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  }

  private async tokenFor(as: string): Promise<string> {
    const [, name] = /^fresh (.+)$/s.exec(as) ?? [];
    return name === undefined ? this.accounts.tokenOf(as) : this.accounts.freshTokenOf(name);
  }

  private async saveAccount(name: string): Promise<void> {
    this.variables.save(name, await this.accounts.find(name));
  }

  private async restart(env: Record<string, string> | undefined): Promise<void> {
    this.client.close();
    await this.server.restart(env);
  }

  /**
   * Resolves a reference to a secret: the account that enrolled it, the name under which it was saved, or the secret
   * itself.
   */
  private secretOf(reference: string): string {
    return this.accounts.secretOf(reference) ?? String(this.variables.find(reference) ?? reference);
  }

  /** Replaces the variables of an expected answer. Only its strings change, so it keeps its type. */
  private async filled(answer: Answer): Promise<Answer> {
    return (await this.variables.json(answer as unknown as JsonObject)) as unknown as Answer;
  }
}

function hasBody({ json, text, base64 }: Partial<RecordedRequest>): boolean {
  return json !== undefined || text !== undefined || base64 !== undefined;
}

function usesCodes(steps: Step[]): boolean {
  return steps.some((step) => 'enrol' in step || JSON.stringify(step).includes('{{totp:'));
}

function failure(index: number, step: Step, differences: string[]): ReplayFailure {
  const subject = 'send' in step ? `${step.send.method} ${step.send.path}` : JSON.stringify(step).slice(0, 80);
  return new ReplayFailure([`step ${index + 1}, ${subject}`, ...differences].join('\n  '));
}

function inWords(error: unknown): string[] {
  return [error instanceof Error ? error.message : String(error)];
}

function parsed(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return null;
  }
}
