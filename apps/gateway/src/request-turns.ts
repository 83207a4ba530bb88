import { inLaterTurn, isTurnFree, presentTurn } from '@keyfold/http-envelope';
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { OpenAnswers } from './open-answers.js';

/** Requests of one connection that are begun in one turn of the event loop, and that are under way at a time. */
const PER_TURN = 16;
const UNDER_WAY = 64;
/** So many may wait; then nothing more is read from the connection until they are begun. */
const MOST_WAITING = 64;

const TURNS = Symbol('requests of this connection that have not begun');
type Connection = Socket & { [TURNS]?: RequestTurns };

/**
 * Requests that a client sends without waiting for answers (pipelining, RFC 9112 section 9.3.2) come by the thousand in one piece. They are
 * begun a few at a time, so that other connections have their turns between them.
 */
class RequestTurns {
  readonly #waiting: (() => void)[] = [];
  readonly #answers: OpenAnswers;
  #lastTurn: object | undefined;
  #scheduled = 0;
  #isHeld = false;

  static of(connection: Connection): RequestTurns {
    return (connection[TURNS] ??= new RequestTurns(connection));
  }

  private constructor(private readonly connection: Connection) {
    this.#answers = OpenAnswers.of(connection);
    this.#answers.onAnswered = () => this.#schedule();
  }

  take(begin: () => void): void {
    if (this.#waiting.length === 0 && this.#isFirstOfTurn() && isTurnFree()) return begin();
    this.#waiting.push(begin);
    if (this.#waiting.length >= MOST_WAITING) this.#hold();
    this.#schedule();
  }

  /** Handlers go on when the whole input is parsed: begun at once, requests of one input could not be stopped when time is up. */
  #isFirstOfTurn(): boolean {
    const [last, now] = [this.#lastTurn, presentTurn()];
    this.#lastTurn = now;
    return last !== now;
  }

  #schedule(): void {
    // Without room an answer will say when there is some.
    const most = Math.min(PER_TURN, this.#waiting.length, UNDER_WAY - this.#underWay());
    while (this.#scheduled < most) {
      this.#scheduled += 1;
      inLaterTurn(() => this.#beginNext());
    }
  }

  #beginNext(): void {
    this.#scheduled -= 1;
    // Nobody would read the answers.
    if (this.connection.destroyed) this.#waiting.length = 0;
    if (this.#underWay() < UNDER_WAY) this.#waiting.shift()?.();
    if (this.#waiting.length === 0 && this.#isHeld) this.#release();
    this.#schedule();
  }

  /** Node resumes a connection with each request that has no body, and with each answer: only without `resume` it stays paused. */
  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.connection.resume = () => this.connection;
    // A resume of a moment ago comes into force with the next tick, and would outlive a pause before it.
    process.nextTick(() => this.#isHeld && this.connection.pause());
  }

  #release(): void {
    this.#isHeld = false;
    Reflect.deleteProperty(this.connection, 'resume');
    // What comes behind a broken request is not read.
    if (!this.#answers.isClosing) this.connection.resume();
  }

  #underWay(): number {
    return this.#answers.count - this.#waiting.length;
  }
}

/** Lets the requests of each connection come to the listeners of the server in turns. */
export function handleInTurns(server: Server): void {
  const [listener, ...others] = server.listeners('request') as RequestListener[];
  if (!listener || others.length > 0) throw new Error('the server has no listener of requests, or more than one');
  server.removeListener('request', listener);
  server.on('request', (request, response) => RequestTurns.of(request.socket).take(() => listener(request, response)));
}
