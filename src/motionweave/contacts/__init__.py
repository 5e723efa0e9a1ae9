"""What touches the floor and when: contacts, motion events, and feet that stay planted."""
