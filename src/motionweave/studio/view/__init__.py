"""What the viewport shows: results, who performs them, and motions as the browser wants them."""
