// Runs in a network namespace and connects from there for somebody outside of it: `node relay.mjs <Unix socket>`. Each connection to the
// socket begins with a line of JSON with `host`, `port` and perhaps the address to come from; then the bytes go to and fro.
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
    // What ends on one side ends on the other, in the same way.
    far.on('error', (error) => (connected ? near.destroy() : near.end(`${error.code}\n`)));
    near.on('close', () => far.destroy());
  });
});
server.listen(process.argv[2], () => console.log('listening'));
