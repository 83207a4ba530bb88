// Runs in a network namespace and opens connections there on behalf of a process outside: `node relay.mjs <Unix
// socket>`. Each connection to the socket starts with a line of JSON with `host`, `port` and an optional source
// address. Then it forwards bytes in both directions.
import { connect, createServer } from 'node:net';

const server = createServer({ allowHalfOpen: true }, (near) => {
  near.on('error', () => near.destroy());
  near.once('readable', () => {
    const line = String(near.read() ?? '');
    const { host, port, from } = JSON.parse(line);
    const far = connect({ host, port, localAddress: from, allowHalfOpen: true, autoSelectFamily: false });
    far.setNoDelay(true);
    let connected = false;
    far.once('connect', () => {
      connected = true;
      near.write('connected\n');
      near.pipe(far);
      far.pipe(near);
    });
    // Propagates an end or an error of one side to the other.
    far.on('error', (error) => (connected ? near.destroy() : near.end(`${error.code}\n`)));
    near.on('close', () => far.destroy());
  });
});
server.listen(process.argv[2], () => console.log('listening'));
