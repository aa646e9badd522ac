// /ws/tts/stream: one turn after the other on one connection.

import {explain, explainClose, socketAddress} from './server.js';

export class StreamSocket {
  // on: {message(json, text), sent(json), error(words, json), gone(words)}
  constructor(key, on) {
    this.on = on;
    this.wasOpen = false;
    this.socket = new WebSocket(socketAddress('/ws/tts/stream', key));
    this.opened = new Promise((done, failed) => {
      this.socket.onopen = () => {
        this.wasOpen = true;
        done();
      };
      this.socket.onclose = async (event) => {
        const words = await explainClose(event.code, this.wasOpen, key);
        failed(new Error(words));
        on.gone(this.wasOpen && event.code === 1000 ? null : words);
      };
    });
    this.opened.catch(() => {}); // whoever waits for it is told
    this.socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      on.message(message, event.data);
      if (message.error) on.error(explain(message), message);
    };
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  // Open, or about to be.
  get isAlive() {
    return this.socket.readyState <= WebSocket.OPEN;
  }

  send(message) {
    if (!this.isOpen) return;
    this.socket.send(JSON.stringify(message));
    this.on.sent(message);
  }

  close() {
    this.socket.close(1000);
  }
}
