import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { type FormEvent, useState } from 'react';
import { createRoot } from 'react-dom/client';

function Chat({ id, messages: loaded }: { readonly id: string; readonly messages: UIMessage[] }) {
  const [input, setInput] = useState('');
  const { messages, sendMessage, regenerate, status, error } = useChat({
    id,
    messages: loaded,
    resume: true,
    transport: new DefaultChatTransport({ api: '/api/chat' }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void sendMessage({ text: input, metadata: { from: 'the page' } });
    setInput('');
  };
  return (
    <main data-status={status}>
      {messages.map((message) => (
        <article key={message.id} id={message.id} data-role={message.role}>
          {message.parts.map((part, at) => (
            <Part key={at} part={part} />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={submit}>
        <input value={input} onChange={(event) => setInput(event.target.value)} placeholder="Message" />
        <button type="submit">Send</button>
        <button type="button" onClick={() => fetch(`/api/chat/${encodeURIComponent(id)}/stop`, { method: 'POST' })}>
          Stop
        </button>
        <button type="button" onClick={() => void regenerate()}>
          Again
        </button>
      </form>
    </main>
  );
}

function Part({ part }: { readonly part: UIMessage['parts'][number] }) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type !== 'tool-read' || !('state' in part)) return null;
  const output = part.output as { readonly path: string; readonly text: string } | undefined;
  return (
    <pre data-state={part.state}>
      {output ? `${output.path}: ${output.text.length} characters` : JSON.stringify(part.input)}
    </pre>
  );
}

const id = new URLSearchParams(location.search).get('chat') ?? 'example';
const response = await fetch(`/api/chat/${encodeURIComponent(id)}`);
const root = document.querySelector('#root');
if (root) createRoot(root).render(<Chat id={id} messages={(await response.json()) as UIMessage[]} />);
