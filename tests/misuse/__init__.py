"""Every public function called with values that it cannot use."""
