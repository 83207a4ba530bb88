/** Transport id of the queue `keyfold.commands.q`. Handlers of commands declare it with `@EventPattern`. */
export const COMMANDS = Symbol('keyfold.commands.q');

/** Transport id of the queue `keyfold.rpc`. Handlers of questions declare it with `@MessagePattern`. */
export const QUESTIONS = Symbol('keyfold.rpc');
