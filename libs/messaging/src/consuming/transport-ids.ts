/** The transport of the queue `keyfold.commands.q`: handlers of commands name it, see `EventPattern`. */
export const COMMANDS = Symbol('keyfold.commands.q');

/** The transport of the queue `keyfold.rpc`: handlers of questions name it, see `MessagePattern`. */
export const QUESTIONS = Symbol('keyfold.rpc');
