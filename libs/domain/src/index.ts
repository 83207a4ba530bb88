export const x = 'pong';
